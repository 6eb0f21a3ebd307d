//! tmp
#[path="../tests/checker/plans.rs"] #[allow(dead_code)] mod plans;
use plans::*; use pullback_plan::*; use pullback_ir::*; use pullback_base::Id;
fn main(){
    let n=1500usize;
    let mut b = Builder::new("step");
    let w = b.arg(Some("w"), f32s(&[128,128]));
    let xs = b.arg(Some("x"), f32s(&[12,128,128]));
    let mut vals=vec![]; let mut v=xs;
    for i in 0..n { v = if i%5==0 { b.dot(v,w,DotDims{lhs_contract:vec![2],rhs_contract:vec![0],..Default::default()}).unwrap() } else if i%7==0 { let r=b.reshape(v,&[12*128,128]).unwrap(); vals.push(r); let q=b.reshape(r,&[12,128,128]).unwrap(); q } else { b.add(v,xs).unwrap() }; vals.push(v);}
    let loss=b.reduce(v,&[0,1,2],Monoid::Add).unwrap();
    let dw=b.dot(v,xs,DotDims{lhs_contract:vec![0,1],rhs_contract:vec![0,1],..Default::default()}).unwrap();
    let next=b.sub(w,dw).unwrap();
    let step=b.finish(&[loss,next]);
    let signature=Signature{state:vec![StateSlot{name:"w".into(),arg:0,result:1}],batch:vec![BatchSlot{name:"x".into(),arg:1}],outputs:vec![OutputSlot{name:"loss".into(),result:0}]};
    let mut m=Make::new(step.clone(),signature,vec![axis("data",AxisKind::Space,3),axis("micro",AxisKind::Time,2)]);
    let (data,micro)=(x(0),x(1));
    let rows=m.cut(12,&[data,micro],&["0..3","3..6","6..8","8..10","10..11","11..12"]);
    let mut ops=vec![];
    for &v in &vals { let i=instr(&step,v); let f=pullback_ir::access::AccessMap::of(step.instr(i).op(),&step.operand_types(i)).unwrap().factors.len(); let mut c=vec![None;f]; c[0]=Some(rows); ops.push((v,c)); }
    ops.push((loss,vec![Some(rows),None,None]));
    let i=instr(&step,dw); let a=pullback_ir::access::AccessMap::of(step.instr(i).op(),&step.operand_types(i)).unwrap();
    ops.push((dw,a.factors.iter().map(|f| (f.size==12).then_some(rows)).collect()));
    let o:Vec<(Value,&[Option<CutId>])>=ops.iter().map(|(v,c)|(*v,&c[..])).collect();
    let t0=m.template(&o,&[w,xs],&[loss,dw]);
    let t1=m.template(&[(next,&[None,None])],&[w,dw],&[next]);
    m.plan.templates[t0].scratch=1<<30;
    let k0=m.collective(CollectiveKind::AllReduce,&[data],&[(loss,layout(&[],&[data]),layout(&[],&[])),(dw,layout(&[None,None],&[data]),layout(&[None,None],&[]))]);
    let bw=m.buffer(w,layout(&[None,None],&[])); let bx=m.buffer(xs,layout(&[Some(rows),None,None],&[]));
    let (l1,d1)=(m.buffer(loss,layout(&[],&[data,micro])),m.buffer(dw,layout(&[None,None],&[data,micro])));
    let (l2,d2)=(m.buffer(loss,layout(&[],&[data])),m.buffer(dw,layout(&[None,None],&[data])));
    let (l3,d3)=(m.buffer(loss,layout(&[],&[])),m.buffer(dw,layout(&[None,None],&[])));
    let nx=m.buffer(next,layout(&[None,None],&[]));
    m.device.entry=vec![bw];
    let ev=vec![Event::Loop{axis:micro,body:vec![Event::Load{slot:0,into:bx},compute(t0,&[bw,bx],&[l1,d1]),Event::Combine{from:l1,into:l2,axis:micro},Event::Combine{from:d1,into:d2,axis:micro}]},communicate(k0,&[l2,d2],&[l3,d3]),compute(t1,&[bw,d3],&[nx]),Event::Commit{next:vec![nx]}];
    let mut case=m.finish("b",ev,vec![Event::Output{slot:0,from:l3}]);
    for d in &mut case.deployment.devices { d.memory_mib=4096; }
    case.plan.identity.deployment=case.deployment.digest();
    let t=std::time::Instant::now();
    let r=case.check();
    println!("{:?} {:?}",t.elapsed(), r.map(|c|c.summary().clone()).map_err(|v|v.iter().map(|v|v.to_string()).collect::<Vec<_>>()));
    let _=AxisId::from_index(0);
}
