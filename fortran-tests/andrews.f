C     Andrews' squeezing mechanism, seven bodies in seven angles (Test
C     Set for IVP Solvers, Mazzia & Magherini 2008, CWI/Bari).  The mass
C     matrix depends on the position.  The reference is ours, by
C     extrapolation in quadruple precision; the published one agrees to
C     1E-10 in p and 5E-8 in v.
C
C     X = [ lambda1-6 | v1-v7 | p1-p7 ],
C     p = (beta,Theta,gamma,Phi,delta,Omega,epsilon)
C
      PROGRAM ANDREW
      IMPLICIT NONE
      INTEGER          N,M,NCOND,L,NFIRST
      PARAMETER        (N=20,M=32)
      DOUBLE PRECISION X0(N),XEX(N)
      INTEGER          IOPT(40),IWORK(20),IPAR(4),IERR,IDID,IJAC,
     #                 NGOOD,NBAD,I,K
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(5*N),RPAR(8),
     #                 RDA(M),DEVMAX,SIZMAX
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,DEVMAX,SIZMAX
C
      DATA X0 /98.5668703962410896D0,-6.12268834425566266D0,4*0.D0,
     #   7*0.D0,-0.0617138900142764496D0,0.D0,0.455279819163070380D0,
     #   0.222668390165885885D0,0.487364979543842550D0,
     #  -0.222668390165885885D0,1.23054744454982119D0/
      DATA XEX /
     #   1.991753481045386282D+02,-2.975530997497176332D+01,
     #   2.306654361162215113D+01, 3.145272527577113708D+01,
     #   2.264249478639437858D+01, 1.161739235261125591D+01,
     #   1.139920302259106064D+03,-1.424379295177540073D+03,
     #   1.103291191061859375D+01, 1.929337410503204083D+01,
     #   5.735699148295024538D-01,-1.929337410503204083D+01,
     #   3.231791492491308750D-01,
     #   1.581077119515370710D+01,-1.575637105841183947D+01,
     #   4.082224011964580486D-02,-5.347301163420795938D-01,
     #   5.244099658799540694D-01, 5.347301163420795938D-01,
     #   1.048080741041937873D+00/
      NFIRST=1
      NGOOD=0
      NBAD=0
      DO 50 K=1,6
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
        IJAC=1
        TOL=1.D-10
        NCOND=0
        IF (K.EQ.2) IJAC=0
        IF (K.EQ.3) IOPT(5)=1
        IF (K.EQ.4.OR.K.EQ.5) TOL=1.D-7
        IF (K.EQ.4) IOPT(11)=2
        IF (K.EQ.5) IOPT(8)=2
        IF (K.EQ.6) IOPT(9)=2
        DO 20 I=1,N
          X(I)=X0(I)
   20   CONTINUE
        IF (K.EQ.1) THEN
          CALL JACCHK(7,7,0,0,0,6,0,0,0.D0,X,IOPT,ROPT,
     #      EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
          CALL JACCHK(7,7,0,0,0,6,0,0,0.03D0,XEX,IOPT,ROPT,
     #      EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
        END IF
        IF (K.EQ.4) THEN
C         Rough positions, no multipliers: Theta=0 and Theta'=0 say it.
          DO 30 I=1,6
            X(I)=0.D0
   30     CONTINUE
          DO 40 I=14,N
            X(I)=DNINT(50.D0*X(I))/50.D0
   40     CONTINUE
          NCOND=2
        END IF
        L=M-6*IOPT(5)
        TEND=0.03D0
        T=0.D0
        H=1.D-5
        IERR=0
        IDID=0
        CALL GEOMS(
     #    7,7,0,0,0,6,0,0,L,N,NCOND,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,0,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        IF (K.LT.5) CALL SHOWRN('Andrews',IOPT,IJAC,TOL,IDID,T,IWORK,
     #    NGOOD,NBAD)
        IF (K.EQ.5) CALL SHOWRN('Andrews, PRED=2',IOPT,IJAC,TOL,IDID,
     #    T,IWORK,NGOOD,NBAD)
        IF (K.EQ.6) CALL SHOWRN('Andrews, NWTMAT=2',IOPT,IJAC,TOL,
     #    IDID,T,IWORK,NGOOD,NBAD)
        WRITE(6,100) (X(I),I=1,N)
        CALL VERIFY('position',DEVMAX(7,X(14),XEX(14)),30.D0*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('velocity',DEVMAX(7,X(7),XEX(7)),1.D4*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('multipliers',DEVMAX(6,X,XEX),
     #              (1.D3+1.D6*IOPT(5))*TOL,NGOOD,NBAD)
        CALL EOM(L,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
        CALL VERIFY('residual of gI',SIZMAX(6,RDA(L-25)),1.D3*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('residual of g',SIZMAX(6,RDA(L-19)),TOL,
     #              NGOOD,NBAD)
C       Where the Newton matrix is taken must not change the steps: the
C       error estimate needs the mass matrix of the last point.
        IF (K.EQ.1) NFIRST=IWORK(1)
        IF (K.LE.3.OR.K.EQ.6) CALL VERIFY('steps of the first run',
     #    DBLE(IWORK(1))/NFIRST,1.1D0,NGOOD,NBAD)
   50 CONTINUE
      CALL FINISH(NGOOD,NBAD)
  100 FORMAT('   lambda ',3F15.8/'          ',3F15.8/
     #       '   v      ',4F15.8/'          ',3F15.8/
     #       '   p      ',4F15.10/'          ',3F15.10)
      END
C
C     Each loop of bars closes: a bar of length R under the angle a adds
C     R*(cos(a),sin(a)) to two constraints, where a is the sum of one or
C     two coordinates J1, J2 and perhaps a right angle.  Bar K: R, a,
C     the coordinates and the loops I1..I2.
      SUBROUTINE BAR(K,P,R,A,J1,J2,I1,I2)
      IMPLICIT NONE
      INTEGER          K,J1,J2,I1,I2
      DOUBLE PRECISION P(7),R,A
      INTEGER          JA(7),JB(7),IA(7),IB(7),IQ(7)
      DOUBLE PRECISION RR(7)
      SAVE             JA,JB,IA,IB,IQ,RR
      DATA RR /.007D0,-.028D0,.035D0,.02D0,-.04D0,-.02D0,.04D0/
      DATA JA /1,1,3,4,5,6,7/
      DATA JB /0,2,0,5,0,7,0/
      DATA IA /1,1,1,2,2,3,3/
      DATA IB /3,3,1,2,2,3,3/
      DATA IQ /0,0,1,1,0,0,1/
      R=RR(K)
      J1=JA(K)
      J2=JB(K)
      I1=IA(K)
      I2=IB(K)
      A=P(J1)+IQ(K)*2.D0*ATAN(1.D0)
      IF (J2.GT.0) A=A+P(J2)
      RETURN
      END
C
C     Mass matrix, force with constraint forces, G, (dG/dt)*v, and with
C     accelerations ACC kept: derivatives DF(.,p), DF(.,7+v) of the
C     force, DM of M*ACC by p, DG of G*ACC+(dG/dt)*v by p and v, DV of
C     G*v by p.
      SUBROUTINE MODEL(X,A,F,G,GD,LDER,ACC,DF,DM,DG,DV)
      IMPLICIT NONE
      DOUBLE PRECISION X(20),A(7,7),F(7),G(6,7),GD(6),ACC(7),
     #                 DF(7,14),DM(7,7),DG(6,14),DV(6,7)
      LOGICAL          LDER
      DOUBLE PRECISION BM(7),BI(7),V(7),P(7),K1,K2,K3,Z,W,R,AN,C,S,RA,
     #                 RB,E(2),D1(2),EL,ED,DD,S2,C4,C6,XB,YB,SC,SD,
     #                 C0,EL0,LX,LY
      INTEGER          I,J,K,J1,J2,I1,I2,JJ(2),L,NJ
      SAVE             BM,BI
      DATA BM /.04325D0,.00365D0,.02373D0,.00706D0,.07050D0,.00706D0,
     #         .05498D0/
      DATA BI /2.194D-6,4.410D-7,5.255D-6,5.667D-7,1.169D-5,5.667D-7,
     #         1.912D-5/
      DATA XB,YB,SC,SD,C0,EL0 /-.03635D0,.03273D0,.018D0,.02D0,
     #                         4530.D0,.07785D0/
      DO 10 I=1,7
        V(I)=X(6+I)
        P(I)=X(13+I)
        F(I)=0.D0
   10 CONTINUE
      CALL CLEAR(49,A)
      CALL CLEAR(42,G)
      CALL CLEAR(6,GD)
      IF (LDER) THEN
        CALL CLEAR(98,DF)
        CALL CLEAR(49,DM)
        CALL CLEAR(84,DG)
        CALL CLEAR(42,DV)
      END IF
      Z=.02D0-.01421D0
      W=.02D0-.01421D0
      K1=BM(2)*.0115D0*.007D0
      K2=BM(4)*.04D0*Z
      K3=BM(6)*.04D0*W
      S2=SIN(P(2))
      C4=COS(P(4))
      C6=COS(P(6))
      A(1,1)=BM(1)*.00092D0**2+BM(2)*(.007D0**2+.0115D0**2)
     #       -2.D0*K1*COS(P(2))+BI(1)+BI(2)
      A(2,1)=BM(2)*.0115D0**2-K1*COS(P(2))+BI(2)
      A(1,2)=A(2,1)
      A(2,2)=BM(2)*.0115D0**2+BI(2)
      A(3,3)=BM(3)*(.01874D0**2+.01043D0**2)+BI(3)
      A(4,4)=BM(4)*Z**2+BI(4)
      A(5,4)=BM(4)*Z**2+K2*SIN(P(4))+BI(4)
      A(4,5)=A(5,4)
      A(5,5)=BM(4)*(.04D0**2+Z**2)+2.D0*K2*SIN(P(4))
     #       +BM(5)*(.02308D0**2+.00916D0**2)+BI(4)+BI(5)
      A(6,6)=BM(6)*W**2+BI(6)
      A(7,6)=BM(6)*W**2-K3*SIN(P(6))+BI(6)
      A(6,7)=A(7,6)
      A(7,7)=BM(6)*(W**2+.04D0**2)-2.D0*K3*SIN(P(6))
     #       +BM(7)*(.01228D0**2+.00449D0**2)+BI(6)+BI(7)
C     Spring: its end D moves with gamma, E is D minus the fixed end.
      C=COS(P(3))
      S=SIN(P(3))
      E(1)=SD*C+SC*S+XB-.014D0
      E(2)=SD*S-SC*C+YB-.072D0
      D1(1)=SC*C-SD*S
      D1(2)=SD*C+SC*S
      EL=SQRT(E(1)**2+E(2)**2)
      ED=E(1)*D1(1)+E(2)*D1(2)
      F(1)=.033D0-K1*V(2)*(V(2)+2.D0*V(1))*S2
      F(2)=K1*V(1)**2*S2
      F(3)=-C0*(1.D0-EL0/EL)*ED
      F(4)=K2*V(5)**2*C4
      F(5)=-K2*V(4)*(V(4)+2.D0*V(5))*C4
      F(6)=-K3*V(7)**2*C6
      F(7)=K3*V(6)*(V(6)+2.D0*V(7))*C6
      IF (LDER) THEN
        DF(1,2)=-K1*V(2)*(V(2)+2.D0*V(1))*COS(P(2))
        DF(2,2)=K1*V(1)**2*COS(P(2))
        DF(1,8)=-2.D0*K1*V(2)*S2
        DF(1,9)=-2.D0*K1*(V(1)+V(2))*S2
        DF(2,8)=2.D0*K1*V(1)*S2
C       second derivative of D: minus its distance from the joint
        DD=-E(1)*(SD*C+SC*S)-E(2)*(SD*S-SC*C)
        DF(3,3)=-C0*(EL0/EL**3*ED**2+(1.D0-EL0/EL)
     #          *(D1(1)**2+D1(2)**2+DD))
        DF(4,4)=-K2*V(5)**2*SIN(P(4))
        DF(4,12)=2.D0*K2*V(5)*C4
        DF(5,4)=K2*V(4)*(V(4)+2.D0*V(5))*SIN(P(4))
        DF(5,11)=-2.D0*K2*(V(4)+V(5))*C4
        DF(5,12)=-2.D0*K2*V(4)*C4
        DF(6,6)=K3*V(7)**2*SIN(P(6))
        DF(6,14)=-2.D0*K3*V(7)*C6
        DF(7,6)=-K3*V(6)*(V(6)+2.D0*V(7))*SIN(P(6))
        DF(7,13)=2.D0*K3*(V(6)+V(7))*C6
        DF(7,14)=2.D0*K3*V(6)*C6
        DM(1,2)=K1*S2*(2.D0*ACC(1)+ACC(2))
        DM(2,2)=K1*S2*ACC(1)
        DM(4,4)=K2*C4*ACC(5)
        DM(5,4)=K2*C4*(ACC(4)+2.D0*ACC(5))
        DM(6,6)=-K3*C6*ACC(7)
        DM(7,6)=-K3*C6*(ACC(6)+2.D0*ACC(7))
      END IF
C     Constraints 2*I-1 and 2*I belong to loop I.
      DO 60 K=1,7
        CALL BAR(K,P,R,AN,J1,J2,I1,I2)
        C=R*COS(AN)
        S=R*SIN(AN)
        JJ(1)=J1
        JJ(2)=J2
        NJ=1
        RA=V(J1)
        RB=0.D0
        IF (LDER) RB=ACC(J1)
        IF (J2.GT.0) THEN
          NJ=2
          RA=RA+V(J2)
          IF (LDER) RB=RB+ACC(J2)
        END IF
        DO 50 I=2*I1,2*I2,2
          LX=X(I-1)
          LY=X(I)
          GD(I-1)=GD(I-1)-C*RA**2
          GD(I)=GD(I)-S*RA**2
          DO 40 L=1,NJ
            J=JJ(L)
            G(I-1,J)=G(I-1,J)-S
            G(I,J)=G(I,J)+C
            F(J)=F(J)+LX*S-LY*C
            IF (LDER) THEN
              DV(I-1,J)=DV(I-1,J)-C*RA
              DV(I,J)=DV(I,J)-S*RA
              DG(I-1,J)=DG(I-1,J)-C*RB+S*RA**2
              DG(I,J)=DG(I,J)-S*RB-C*RA**2
              DG(I-1,7+J)=DG(I-1,7+J)-2.D0*C*RA
              DG(I,7+J)=DG(I,7+J)-2.D0*S*RA
              DF(J,J)=DF(J,J)+LX*C+LY*S
              IF (NJ.EQ.2) DF(J,JJ(3-L))=DF(J,JJ(3-L))+LX*C+LY*S
            END IF
   40     CONTINUE
   50   CONTINUE
   60 CONTINUE
      RETURN
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION A(7,7),F(7),G(6,7),GD(6),Y(7),D(98),P(7),R,AN,
     #                 OFF(6)
      INTEGER          I,J,K,L,J1,J2,I1,I2
      SAVE             OFF
C     Fixed joints B, A, A
      DATA OFF /-.03635D0,.03273D0,-.06934D0,-.00227D0,
     #          -.06934D0,-.00227D0/
      CALL MODEL(X,A,F,G,GD,.FALSE.,Y,D,D,D,D)
      L=6
      IF (IOPT(5).EQ.1) L=0
      DO 10 I=1,7
        P(I)=X(13+I)
        RDA(L+12+I)=F(I)
        RDA(L+19+I)=X(6+I)
        Y(I)=F(I)
   10 CONTINUE
      DO 20 I=1,6
        RDA(L+6+I)=-OFF(I)
        RDA(L+I)=0.D0
        DO 15 J=1,7
          RDA(L+I)=RDA(L+I)+G(I,J)*X(6+J)
   15   CONTINUE
   20 CONTINUE
      DO 40 K=1,7
        CALL BAR(K,P,R,AN,J1,J2,I1,I2)
        DO 30 I=2*I1,2*I2,2
          RDA(L+5+I)=RDA(L+5+I)+R*COS(AN)
          RDA(L+6+I)=RDA(L+6+I)+R*SIN(AN)
   30   CONTINUE
   40 CONTINUE
      IF (L.EQ.0) RETURN
C     gII = G*M**(-1)*F+(dG/dt)*v
      CALL ELIMIN(7,1,A,7,Y,7)
      DO 60 I=1,6
        RDA(I)=GD(I)
        DO 50 J=1,7
          RDA(I)=RDA(I)+G(I,J)*Y(J)
   50   CONTINUE
   60 CONTINUE
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      DOUBLE PRECISION A(7,7),F(7),G(6,7),GD(6),D(98)
      INTEGER          I,J
      CALL MODEL(X,A,F,G,GD,.FALSE.,D,D,D,D,D)
      DO 20 J=1,7
        DO 10 I=1,7
          MA(I,J)=A(I,J)
   10   CONTINUE
   20 CONTINUE
      RETURN
      END
C
C     NEGATIVE partial derivatives.
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #               T,X,FX1,FX2,FX3,FX4,FX5,FX6,
     #               IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #                 IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(M1,N),FX2(M2,N3+N4),FX3(M3,N4),
     #                 FX4(M4,N),FX5(M5,N),FX6(M6,N3+N4),
     #                 ROPT(*),RPAR(*)
      DOUBLE PRECISION A(7,7),F(7),G(6,7),GD(6),ACC(7),DF(7,14),
     #                 DM(7,7),DG(6,14),DV(6,7),Y(7,20)
      INTEGER          I,J,K
      CALL CLEAR(M1*N,FX1)
      CALL CLEAR(M2*(N3+N4),FX2)
      CALL CLEAR(M3*N4,FX3)
      CALL CLEAR(M4*N,FX4)
      CALL CLEAR(M5*N,FX5)
      CALL CLEAR(M6*(N3+N4),FX6)
C     Accelerations first, then what depends on them
      CALL MODEL(X,A,F,G,GD,.FALSE.,ACC,DF,DM,DG,DV)
      DO 10 I=1,7
        ACC(I)=F(I)
   10 CONTINUE
      CALL ELIMIN(7,1,A,7,ACC,7)
      CALL MODEL(X,A,F,G,GD,.TRUE.,ACC,DF,DM,DG,DV)
      DO 40 I=1,7
        DO 20 J=1,6
          FX2(J,I)=-G(J,I)
          FX2(J,7+I)=-DV(J,I)
          FX3(J,I)=-G(J,I)
          FX5(I,J)=G(J,I)
          Y(I,J)=G(J,I)
   20   CONTINUE
        DO 30 J=1,7
          FX5(I,6+J)=-DF(I,7+J)
          FX5(I,13+J)=-DF(I,J)
          Y(I,6+J)=-DF(I,7+J)
          Y(I,13+J)=-DF(I,J)+DM(I,J)
   30   CONTINUE
        FX6(I,I)=-1.D0
   40 CONTINUE
      IF (M1.EQ.0) RETURN
      CALL ELIMIN(7,20,A,7,Y,7)
      DO 80 I=1,6
        DO 60 K=1,20
          DO 50 J=1,7
            FX1(I,K)=FX1(I,K)+G(I,J)*Y(J,K)
   50     CONTINUE
   60   CONTINUE
        DO 70 K=1,7
          FX1(I,6+K)=FX1(I,6+K)-DG(I,7+K)
          FX1(I,13+K)=FX1(I,13+K)-DG(I,K)
   70   CONTINUE
   80 CONTINUE
      RETURN
      END
C
C     A*Y=B for K right-hand sides, by elimination; A and B are lost.
      SUBROUTINE ELIMIN(N,K,A,LDA,B,LDB)
      IMPLICIT NONE
      INTEGER          N,K,LDA,LDB,I,J,L,LP
      DOUBLE PRECISION A(LDA,*),B(LDB,*),F
      DO 50 L=1,N
        LP=L
        DO 10 I=L+1,N
          IF (ABS(A(I,L)).GT.ABS(A(LP,L))) LP=I
   10   CONTINUE
        DO 20 J=1,N
          F=A(L,J)
          A(L,J)=A(LP,J)
          A(LP,J)=F
   20   CONTINUE
        DO 25 J=1,K
          F=B(L,J)
          B(L,J)=B(LP,J)
          B(LP,J)=F
   25   CONTINUE
        DO 40 I=L+1,N
          F=A(I,L)/A(L,L)
          DO 30 J=L,N
            A(I,J)=A(I,J)-F*A(L,J)
   30     CONTINUE
          DO 35 J=1,K
            B(I,J)=B(I,J)-F*B(L,J)
   35     CONTINUE
   40   CONTINUE
   50 CONTINUE
      DO 80 J=1,K
        DO 70 L=N,1,-1
          DO 60 I=L+1,N
            B(L,J)=B(L,J)-A(L,I)*B(I,J)
   60     CONTINUE
          B(L,J)=B(L,J)/A(L,L)
   70   CONTINUE
   80 CONTINUE
      RETURN
      END
C
      SUBROUTINE CLEAR(LENGTH,A)
      IMPLICIT NONE
      INTEGER          LENGTH,I
      DOUBLE PRECISION A(*)
      DO 10 I=1,LENGTH
        A(I)=0.D0
   10 CONTINUE
      RETURN
      END
C
C     Not called (IOUT=0).
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,H,X(N),CONTX(NN4),RPAR(*),C1M1,C2M1
      RETURN
      END
C
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(NCOND),RPAR(*)
      COND(1)=X(15)
      COND(2)=X(8)
      RETURN
      END
C
C     ---- Checks; the same in every driver, no part of the model. ----
C
C     JACCHK: JAC against central differences of EOM at (T,X); the
C     largest deviation of each block, relative to the row.  All entries
C     of JAC are filled with rubbish before, so that one which is never
C     set is found as well.
      SUBROUTINE JACCHK(NP,NV,NR,NW,NS,NL,NM,NI,T,X,IOPT,ROPT,
     #                  EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          MAXM,MAXN
      PARAMETER        (MAXM=200,MAXN=120)
      INTEGER          NP,NV,NR,NW,NS,NL,NM,NI,IOPT(*),IPAR(*),
     #                 NGOOD,NBAD
      DOUBLE PRECISION T,X(*),ROPT(*),RPAR(*)
      EXTERNAL         EOM,JAC
      INTEGER          MB(6),NB(6),KB(7),N1,N2,N3,N4,M,N,I,J,K,L,IERR
      DOUBLE PRECISION FX(MAXM*MAXN),XD(MAXN),RP(MAXM),RM(MAXM),D,
     #                 ENTRY,DEV(6),RDEV(MAXM),RSIZE(MAXM)
      SAVE             FX
      LOGICAL          GOOD
      CHARACTER*4      WORD
      N1=NW+NL+NM
      N2=NR
      N3=NV
      N4=NS+NP
      N=N1+N2+N3+N4
      MB(1)=NW
      IF (IOPT(5).EQ.0) MB(1)=N1
      MB(2)=NL+NM+NI
      MB(3)=NS+NL
      MB(4)=NR
      MB(5)=NV
      MB(6)=NP
      NB(1)=N
      NB(2)=N3+N4
      NB(3)=N4
      NB(4)=N
      NB(5)=N
      NB(6)=N3+N4
      KB(1)=1
      M=0
      DO 10 K=1,6
        KB(K+1)=KB(K)+MB(K)*NB(K)
        M=M+MB(K)
        DEV(K)=0.D0
   10 CONTINUE
      DO 15 I=1,M
        RDEV(I)=0.D0
        RSIZE(I)=1.D0
   15 CONTINUE
      DO 20 I=1,MAXM*MAXN
        FX(I)=7.77D7
   20 CONTINUE
      IERR=0
      CALL JAC(MB(1),MB(2),MB(3),MB(4),MB(5),MB(6),N1,N2,N3,N4,M,N,
     #         T,X,FX(KB(1)),FX(KB(2)),FX(KB(3)),FX(KB(4)),
     #         FX(KB(5)),FX(KB(6)),IOPT,ROPT,RPAR,IPAR,IERR)
      DO 30 I=1,N
        XD(I)=X(I)
   30 CONTINUE
      DO 70 J=1,N
        D=6.D-6*(0.1D0+ABS(X(J)))
        XD(J)=X(J)+D
        CALL EOM(M,N,T,XD,RP,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)-D
        CALL EOM(M,N,T,XD,RM,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)
        L=0
        DO 60 K=1,6
          DO 50 I=1,MB(K)
            L=L+1
            ENTRY=0.D0
            IF (J.GT.N-NB(K)) ENTRY=
     #        FX(KB(K)+(J-N+NB(K)-1)*MB(K)+I-1)
            RSIZE(L)=MAX(RSIZE(L),ABS(ENTRY))
            RDEV(L)=MAX(RDEV(L),ABS(ENTRY+(RP(L)-RM(L))/(2.D0*D)))
   50     CONTINUE
   60   CONTINUE
   70 CONTINUE
      GOOD=.TRUE.
      L=0
      DO 80 K=1,6
        DO 75 I=1,MB(K)
          L=L+1
          DEV(K)=MAX(DEV(K),RDEV(L)/RSIZE(L))
   75   CONTINUE
        GOOD=GOOD.AND.DEV(K).LE.1.D-6
   80 CONTINUE
      WORD='FAIL'
      IF (GOOD) WORD='OK'
      IF (GOOD) NGOOD=NGOOD+1
      IF (.NOT.GOOD) NBAD=NBAD+1
      WRITE(6,100) T,WORD,(DEV(K),K=1,6)
      RETURN
  100 FORMAT(' JAC against differences, T=',F6.3,' : ',A4,' (',
     #       6(E7.1,1X),', allowed 0.1E-05)')
      END
C
C     VERIFY: a number that must not exceed a bound.
      SUBROUTINE VERIFY(TEXT,VALUE,BOUND,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          NGOOD,NBAD
      DOUBLE PRECISION VALUE,BOUND
      CHARACTER*4      WORD
      WORD='FAIL'
      IF (VALUE.LE.BOUND) WORD='OK'
      IF (WORD.EQ.'OK') NGOOD=NGOOD+1
      IF (WORD.NE.'OK') NBAD=NBAD+1
      WRITE(6,100) TEXT,WORD,VALUE,BOUND
      RETURN
  100 FORMAT('   ',A,' : ',A4,' (',E8.1,', allowed',E8.1,')')
      END
C
C     DEVMAX: largest deviation, relative where the value exceeds 1.
      DOUBLE PRECISION FUNCTION DEVMAX(N,X,Y)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*),Y(*)
      DEVMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) DEVMAX=1.D300
        DEVMAX=MAX(DEVMAX,ABS(X(I)-Y(I))/MAX(1.D0,ABS(Y(I))))
   10 CONTINUE
      RETURN
      END
C
C     SIZMAX: largest absolute value, for residuals.
      DOUBLE PRECISION FUNCTION SIZMAX(N,X)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*)
      SIZMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) SIZMAX=1.D300
        SIZMAX=MAX(SIZMAX,ABS(X(I)))
   10 CONTINUE
      RETURN
      END
C
C     SHOWRN: how a run was asked for, how it ended, and its counters.
      SUBROUTINE SHOWRN(TEXT,IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          IOPT(40),IJAC,IDID,IWORK(20),NGOOD,NBAD
      DOUBLE PRECISION TOL,T
      CHARACTER*4      WORD
      WRITE(6,100) TEXT,IOPT(5),IJAC,IOPT(11),TOL
      WORD='FAIL'
      IF (IDID.EQ.0) WORD='OK'
      IF (IDID.EQ.0) NGOOD=NGOOD+1
      IF (IDID.NE.0) NBAD=NBAD+1
      WRITE(6,110) IDID,T,WORD
      WRITE(6,120) IWORK(1),IWORK(10),IWORK(11),IWORK(2),IWORK(4),
     #             IWORK(7)
      RETURN
  100 FORMAT(/1X,A,', FORM=',I1,' IJAC=',I1,' DECOMPC=',I1,
     #       ' TOL=',E8.1)
  110 FORMAT('   finished with IDID=',I6,' at T=',F12.6,' : ',A4)
  120 FORMAT('   NACCPT=',I5,' NERJCT=',I4,' NCRJCT=',I4,' NEOM=',I6,
     #       ' NJAC=',I5,' NEDEC=',I5)
      END
C
C     FINISH: the last line; a failure also shows in the exit status.
      SUBROUTINE FINISH(NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          NGOOD,NBAD
      WRITE(6,100) NGOOD,NBAD
      IF (NBAD.GT.0) STOP 1
      RETURN
  100 FORMAT(/1X,I3,' checks OK, ',I3,' not')
      END
